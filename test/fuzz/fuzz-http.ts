import { ask } from '../gateway/ask.ts';
import { checkAnswer, checkExpected } from './http-answers.ts';
import { HttpConnection } from './http-connection.ts';
import { type HttpCase, httpCase, listedCases } from './http-requests.ts';
import type { Random } from './mutations.ts';

export interface HttpFuzzOptions {
  /** `host:port` of the REST interface of the fuzzed gateway. */
  address: string;
  random: Random;
  requests: number;
}

export interface HttpFuzzResult {
  requests: number;
  /** Number of responses of the gateway, keyed by HTTP status. */
  answers: Record<string, number>;
  /** Number of HTTP requests that got no response because the connection closed. */
  closed: number;
  connections: number;
  slowestMs: number;
}

const CONNECTIONS = 32;

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 2000).toString('latin1'));
}

/**
 * Sends random HTTP requests, most of them invalid, over raw TCP connections. Rejects if a response is undocumented,
 * differs from the expected response, or does not arrive.
 */
export async function fuzzHttp({ address, random, requests }: HttpFuzzOptions): Promise<HttpFuzzResult> {
  const result: HttpFuzzResult = { requests: 0, answers: {}, closed: 0, connections: 0, slowestMs: 0 };
  const listed = listedCases(random);
  const { text: games } = await ask(address, { path: '/v1/get/games' });
  // Requests a page before the fuzz run, so that the thread that builds pages has started. On a busy machine, its
  // start can take longer than HANG_MS, because it has a low priority.
  await ask(address, { path: '/' });
  const next = (): HttpCase | undefined => {
    if (result.requests >= requests) return undefined;
    result.requests++;
    return listed.pop() ?? httpCase(random);
  };

  async function work(): Promise<void> {
    let connection: HttpConnection | undefined;
    for (let request = next(); request; request = next()) {
      if (!connection) {
        connection = new HttpConnection(address);
        result.connections++;
      }
      const number = result.requests;
      try {
        const whole = request.expected !== undefined;
        const { answers, open, tookMs } = await connection.exchange(request.bytes, `behind-${number}`, whole);
        for (const answer of answers) {
          checkAnswer(answer, games);
          result.answers[answer.status] = (result.answers[answer.status] ?? 0) + 1;
        }
        const [first] = answers;
        if (request.expected) {
          if (!first || answers.length > 1) throw new Error(`${answers.length} answers instead of one`);
          checkExpected(first, request.expected);
        }
        if (!first) result.closed++;
        result.slowestMs = Math.max(result.slowestMs, tookMs);
        if (!open) {
          connection.close();
          connection = undefined;
        }
      } catch (error) {
        connection?.close();
        throw new Error(`request ${number}, ${request.name}: ${shown(request.bytes)}`, { cause: error });
      }
    }
    connection?.close();
  }

  await Promise.all(Array.from({ length: Math.min(CONNECTIONS, requests) }, work));
  return result;
}
