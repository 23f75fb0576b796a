// Draws a Vega-Lite specification as SVG, in an engine that has neither a page nor a network.

// Widths of letters in shares of the size of the font, of a wide sans serif; there is no canvas here to ask. Too much is
// a margin, too little cuts a name off at the edge of a file.
const WIDTHS = [
  [/[\p{Mn}\p{Cf}]/u, 0],
  [/[iljtfrI.,:;'’|!()[\]\s]/u, 0.34],
  [/[mwMW—…%@#&+=<>~ŒÆЖМФШЩЫЮжфшщыю]/u, 0.97],
  [/\p{Lu}/u, 0.74],
  [/\d/u, 0.64],
  [/\p{Script=Cyrillic}/u, 0.65],
  [/[\u0900-\u10ff]/u, 0.8],
  [/[\p{Script=Latin}\p{Script=Greek}\p{P}]/u, 0.56],
  [/[\u1100-\u{10ffff}]/u, 1.05],
];
const widthOf = letter => (WIDTHS.find(([kind]) => kind.test(letter)) ?? [null, 0.56])[1];

vega.textMetrics.width = (item, text) => {
  const words = text ?? (Array.isArray(item.text) ? item.text[0] : item.text);
  return [...String(words ?? "")].reduce((sum, letter) => sum + widthOf(letter), 0) * (item.fontSize ?? 11);
};

// Nothing is ever fetched: all that is drawn is in the specification.
const refused = () => Promise.reject(new Error("A picture loads nothing."));
const loader = { ...vega.loader(), load: refused, http: refused, file: refused };

// The description of a mark becomes its title, which is shown when the pointer rests on it. Links are for the pointer, too:
// the table next to a picture has the same ones, for the keyboard.
const DESCRIPTION = / aria-label="([^"]*)" role="[^"]*" aria-roledescription="[^"]*"/;
const forPage = svg => svg
  .replace(/<(\w+)([^>]*)\/>/g, (whole, name, rest) => {
    const found = DESCRIPTION.exec(rest);
    return found ? `<${name}${rest.replace(DESCRIPTION, "")}><title>${found[1]}</title></${name}>` : whole;
  })
  .replace(/ role="graphics-(?:object|symbol)" aria-roledescription="[^"]*"/g, "")
  .replaceAll('<a xlink:href="', '<a tabindex="-1" href="');

async function draw(specification) {
  const { spec } = vegaLite.compile(JSON.parse(specification));
  // Expressions are interpreted, never made into code.
  const view = new vega.View(vega.parse(spec, null, { ast: true }), {
    expr: expressionInterpreter, loader, renderer: "none", logLevel: vega.Error,
  });
  try {
    // Half a letter, which a text can be cut to, has no way out of the engine.
    return forPage(await view.toSVG()).toWellFormed();
  } finally {
    view.finalize();
  }
}
