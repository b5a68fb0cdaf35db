/**
 * Returns the status line (without its reason phrase) and the body of each answer in `text`. Finds only the bodies
 * `first`, `second` and `third`.
 */
export const answersIn = (text: string): string[] =>
  text.match(/HTTP\/1\.1 \d+|(?<=\r\n\r\n)(first|second|third)/g) ?? [];
