import { getSystemErrorMap } from 'node:util';

const words = new Map(getSystemErrorMap().values());

/** A text with the system's error codes put into words: `ECONNREFUSED` becomes `connection refused`. */
export function inWords(text: string): string {
  return text.replace(/\bE[A-Z0-9_]{2,}\b/g, code => words.get(code) ?? code);
}

/** The message of an error; anything else that was thrown, as text. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
