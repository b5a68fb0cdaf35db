import { stripVTControlCharacters } from 'node:util';

/**
 * Display widths of the code points that the tests use. Each entry has the first and last code point of a range, and
 * the number of columns of one character.
 */
const WIDTHS: readonly (readonly [number, number, number])[] = [
  [0x0300, 0x036f, 0],
  [0x200d, 0x200d, 0],
  [0xfe0f, 0xfe0f, 0],
  [0x3040, 0x30ff, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7a3, 2],
  [0x1f300, 0x1faff, 2],
];

function widthOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  return WIDTHS.find(([from, to]) => point >= from && point <= to)?.[2] ?? 1;
}

const ESCAPE = '\x1b';

/** Escape sequences that gsq is allowed to print: those for colours, and those for the full screen of `gsq top`. */
const ALLOWED = new RegExp(`^${ESCAPE}\\[(?:\\d{1,2}m|\\?(?:1049|25)[hl]|[HKJ])`);

/**
 * A fake terminal that draws each emoji of a sequence separately, as xterm does. Records faults: too wide lines,
 * forbidden characters and halves of characters.
 */
export class FakeTerminal {
  readonly columns: number;
  readonly rows = 24;
  readonly writableNeedDrain = false;
  readonly isTTY: boolean;
  readonly faults: string[] = [];
  text = '';
  #column = 0;

  constructor(columns: number, isTTY = true) {
    this.columns = columns;
    this.isTTY = isTTY;
  }

  /** The text that this terminal received, without its escape sequences. */
  get plain(): string {
    return stripVTControlCharacters(this.text);
  }

  once(): void {}

  write(text: string): boolean {
    this.text += text;
    let rest = text;
    while (rest !== '') {
      const sequence = ALLOWED.exec(rest)?.[0];
      const character = sequence ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
      rest = rest.slice(character.length);
      if (sequence === '\x1b[H') this.#column = 0;
      if (sequence === undefined) this.#draw(character);
    }
    return true;
  }

  #draw(character: string): void {
    if (character === '\n' || character === '\r') {
      this.#column = 0;
      return;
    }
    // Records a fault for each forbidden character, such as a control character. Records a fault too for a zero-width
    // character at the beginning of a line, because no base character stands before it.
    const isForbidden = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/u.test(character);
    if (isForbidden || (this.#column === 0 && widthOf(character) === 0)) {
      this.faults.push(`U+${character.codePointAt(0)?.toString(16)} in column ${this.#column}`);
      return;
    }
    this.#column += widthOf(character);
    if (this.#column > this.columns) {
      this.faults.push(`${character} is in column ${this.#column} of ${this.columns}`);
    }
  }
}
