/**
 * Picks random comments, test names and sentences of the docs for a reader who does not see the code. The same seed
 * picks the same texts if no file has changed. `--sources` adds the file of each text. Before a sentence of the docs,
 * also prints the sentence before it in its paragraph, because a sentence can continue the previous one.
 */

/*
 * Usage:
 * npm run sample-texts -- [--seed N] [--comments N] [--tests N] [--sentences N] [--sources]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { trackedFiles } from './tracked-files.ts';
import { commentsOf, sentencesOf, type Text, testNamesOf } from './tree-texts.ts';

/**
 * Returns a random number generator for [0, 1), by the algorithm mulberry32. The same seed gives the same
 * numbers.
 */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Picks `count` different texts at random. */
function pickTexts(texts: readonly Text[], count: number, random: () => number): Text[] {
  const left = [...texts];
  const picked: Text[] = [];
  while (picked.length < count && left.length > 0) {
    const [text] = left.splice(Math.floor(random() * left.length), 1);
    if (text) picked.push(text);
  }
  return picked;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    comments: { type: 'string', default: '60' },
    tests: { type: 'string', default: '40' },
    sentences: { type: 'string', default: '40' },
    sources: { type: 'boolean', default: false },
  },
});
const random = randomNumbers(Number(values.seed));
const files = trackedFiles().map(path => ({ path, content: readFileSync(path, 'utf8') }));
const kinds: [title: string, all: Text[], count: number][] = [
  ['Comments', files.flatMap(commentsOf), Number(values.comments)],
  ['Test names', files.flatMap(testNamesOf), Number(values.tests)],
  ['Sentences of the docs', files.flatMap(sentencesOf), Number(values.sentences)],
];
for (const [title, all, count] of kinds) {
  console.log(`\n${title} (${count} of ${all.length})`);
  for (const [index, { text, path, before }] of pickTexts(all, count, random).entries()) {
    const context = before === undefined ? '' : `(after: ${before}) `;
    console.log(`${index + 1}. ${context}${text}${values.sources ? ` [${path}]` : ''}`);
  }
}
