import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentsOf, sentencesOf, testNamesOf } from '../../scripts/tree-texts.ts';

const texts = (found: readonly { text: string }[]): string[] => found.map(({ text }) => text);

test('commentsOf joins the lines of a comment, and leaves out tool directives such as biome-ignore, and very short comments', () => {
  const content = `/**
 * Counts the requests of a caller.
 *
 * Throws RangeError.
 */
// biome-ignore lint/x: said elsewhere
// Two lines that
// are one comment.
const a = 1; /* beside code */
  /** In ms. */
`;
  assert.deepEqual(texts(commentsOf({ path: 'a.ts', content })), [
    'Counts the requests of a caller. Throws RangeError.',
    'Two lines that are one comment.',
  ]);
  assert.deepEqual(commentsOf({ path: 'a.md', content }), []);
});

test('testNamesOf returns each test name with the names of its groups in front, and ignores tests inside strings', () => {
  const content = `describe('a queue', () => {
  test('keeps the order', () => {});
  describe("that is full", () => {
    test(
      'refuses more', () => {});
  });
});
test('it\\'s alone', () => {});
write(\`
const quoted = \\\`twice\\\`;
test('is a fixture', () => {});
\`);
`;
  assert.deepEqual(texts(testNamesOf({ path: 'a.test.ts', content })), [
    'a queue > keeps the order',
    'a queue > that is full > refuses more',
    "it's alone",
  ]);
});

test('sentencesOf (sentences of a Markdown page) leaves out headings, tables, code blocks and list items that contain only code', () => {
  const content = `# A heading of words
One sentence is here. Another follows: \`code\` in [a link](x.md).

| a table | of words |
- An item of a list.
- \`a.ts\`, \`b.ts\` and \`c.ts\`;
\`\`\`sh
npm run a command
\`\`\`
`;
  assert.deepEqual(
    sentencesOf({ path: 'a.md', content }).map(({ before, text }) => [before, text]),
    [
      [undefined, 'One sentence is here.'],
      ['One sentence is here.', 'Another follows: `code` in a link.'],
      [undefined, 'An item of a list.'],
    ],
  );
});
