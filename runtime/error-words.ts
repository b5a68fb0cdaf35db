import { getSystemErrorMap } from 'node:util';

const words = new Map(getSystemErrorMap().values());

/** Replaces system error codes in a text by words. For example, `ECONNREFUSED` becomes `connection refused`. */
export function inWords(text: string): string {
  return text.replace(/\bE[A-Z0-9_]{2,}\b/g, code => words.get(code) ?? code);
}

/** Returns the message of an error. If the thrown value is not an Error, converts it to text. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
