import { Line, REQUEST } from './plain-server.ts';

/** A request that node:http reads, because the server of `serve` has no route for it. */
export const OTHER = 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n';

/** Statuses and bodies of all answers that a client has received. */
export const answersIn = (text: string): string[] =>
  text.match(/HTTP\/1\.1 \d+|(?<=\r\n\r\n)(first|second|third)/g) ?? [];

/**
 * Waits until the server has read all bytes that the test has sent so far. For this purpose, sends a request on a new
 * connection and waits for its answer.
 */
export async function roundTrip(): Promise<void> {
  const other = new Line();
  other.socket.write(`${REQUEST}ok`);
  await other.until(/plain ok$/);
  other.socket.destroy();
}
