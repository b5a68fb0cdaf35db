/** A text of the tree that a reader may be shown alone. */
export interface Text {
  text: string;
  /** From the root. */
  path: string;
}

/** A file with its content. */
export interface SourceFile {
  path: string;
  content: string;
}

const DIRECTIVE = /^(?:biome-ignore|@ts-|#region|#endregion|eslint)/;
/** A comment of fewer words labels something and states nothing. */
const LEAST_WORDS = 3;

/** A comment block, or consecutive `//` lines of one indentation. */
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/|^([ \t]*)\/\/.*(?:\n\1\/\/.*)*/gm;
const MARKS = /^\s*(?:\/\*\*?|\*\/|\*(?!\/)|\/\/)|\*\/\s*$/g;

/** The comments of a TypeScript file that stand on lines of their own, each as one line of text. */
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

/** The names of the tests of a file, each behind those of the groups it is in, as the runner prints them. */
export function testNamesOf({ path, content }: SourceFile): Text[] {
  if (!path.endsWith('.test.ts')) return [];
  const groups: { depth: number; name: string }[] = [];
  const found: Text[] = [];
  for (const [, indent = '', call, , text = ''] of content.matchAll(NAMED)) {
    const depth = indent.length;
    const name = text.replace(/\\(['"`])/g, '$1');
    while ((groups.at(-1)?.depth ?? -1) >= depth) groups.pop();
    if (call === 'describe') groups.push({ depth, name });
    else found.push({ text: [...groups.map(group => group.name), name].join(' > '), path });
  }
  return found;
}

/** The sentences of a page of Markdown: no headings, tables, code blocks or list marks. */
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
        .split(/(?<=[.!?])\s+(?=[A-Z`"*(])/),
    )
    .filter(sentence => sentence.split(' ').length >= LEAST_WORDS)
    .map(text => ({ text, path }));
}
