"""The pages of a question and of a pair, for each kind of question: the one place where pages are chosen by it."""
