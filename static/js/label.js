/** The labelling page, faster: what it does without scripts stays as it is. */
