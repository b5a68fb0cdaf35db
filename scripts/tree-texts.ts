/** A comment, a test name or a sentence of the docs, as reviewers see it: without the code around it. */
export interface Text {
  text: string;
  /** Path of the file, relative to the root of the project. */
  path: string;
  /** If the text is a sentence of the docs: the sentence before it in its paragraph. Undefined if there is none. */
  before?: string | undefined;
}

/** A file and its content. */
export interface SourceFile {
  path: string;
  content: string;
}

const DIRECTIVE = /^(?:biome-ignore|@ts-|#region|#endregion|eslint)/;
/** Minimum number of words of a text to review. Shorter comments and sentences are only labels. */
const LEAST_WORDS = 3;

/** Matches a block comment, or consecutive `//` lines with the same indentation. */
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/|^([ \t]*)\/\/.*(?:\n\1\/\/.*)*/gm;
const MARKS = /^\s*(?:\/\*\*?|\*\/|\*(?!\/)|\/\/)|\*\/\s*$/g;

/**
 * Returns the comments of a TypeScript file, each joined into one line. Comments behind code on the same line are left
 * out.
 */
export function commentsOf({ path, content }: SourceFile): Text[] {
  if (!path.endsWith('.ts')) return [];
  return [...content.matchAll(COMMENT)]
    .map(([block]) =>
      block
        .split('\n')
        .map(line => line.replace(MARKS, '').trim())
        .filter(line => line !== '' && !DIRECTIVE.test(line))
        .join(' '),
    )
    .filter(text => text.split(' ').length >= LEAST_WORDS)
    .map(text => ({ text, path }));
}

const NAMED = /^( *)(?:await )?(test|it|describe|t\.test)\(\s*(['"`])((?:\\.|(?!\3).)+)\3/gm;

/** Matches a template string of several lines, such as source code in a test. */
const LONG_STRING = /(?<=[=(,] ?)`(?:\\.|[^`\\])*\n(?:\\.|[^`\\])*`/g;

/** Returns the test names of a file, each after the names of its groups, as the test runner prints them. */
export function testNamesOf({ path, content }: SourceFile): Text[] {
  if (!path.endsWith('.test.ts')) return [];
  const groups: { depth: number; name: string }[] = [];
  const found: Text[] = [];
  for (const [, indent = '', call, , text = ''] of content.replace(LONG_STRING, '``').matchAll(NAMED)) {
    const depth = indent.length;
    const name = text.replace(/\\(['"`])/g, '$1');
    while ((groups.at(-1)?.depth ?? -1) >= depth) groups.pop();
    if (call === 'describe') groups.push({ depth, name });
    else found.push({ text: [...groups.map(group => group.name), name].join(' > '), path });
  }
  return found;
}

/**
 * Returns true if a sentence of the docs contains a word outside of backticks. The words "and" and "or" do not count,
 * so the result is false for a list of names in backticks.
 */
const hasWord = (text: string): boolean => /(?!\b(?:and|or)\b)\b[a-z]{2}/i.test(text.replace(/`[^`]*`/g, ''));

/**
 * Returns the sentences of a Markdown page, without headings, tables, code blocks, list markers, and list items that
 * contain only code.
 */
export function sentencesOf({ path, content }: SourceFile): Text[] {
  if (!path.endsWith('.md')) return [];
  const prose = content
    .replace(/^```[\s\S]*?^```/gm, '\n\n')
    .replace(/^(?:#|\||<!--|---).*$/gm, '\n')
    .replace(/^\s*(?:[-*]|\d+\.) /gm, '\n\n')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return prose
    .split(/\n\s*\n/)
    .flatMap(paragraph =>
      paragraph
        .replace(/\s+/g, ' ')
        .trim()
        .split(/(?<=[.!?])\s+(?=[A-Z`"*(]|gsq |gamedig )/)
        .map((text, i, sentences) => ({ text, path, before: sentences[i - 1] })),
    )
    .filter(({ text }) => text.split(' ').length >= LEAST_WORDS && hasWord(text));
}
