import { after, before } from 'node:test';
import type { HttpLimits } from '../../../gateway/http-server.ts';
import { TwoReaders } from './two-readers.ts';

/** Short time limits, so that a test of an incomplete request or an idle connection ends soon. Values are in ms. */
const HASTY: Partial<HttpLimits> = {
  headersTimeout: 60,
  requestTimeout: 60,
  keepAliveTimeout: 60,
  connectionsCheckingInterval: 20,
};

/**
 * Starts two servers for all tests of a file: one with the fast HTTP parser, and one with node:http alone.
 * `plainRequests` counts the requests that the fast HTTP parser has read.
 */
export function withTwoReaders(limits = HASTY) {
  let readers: TwoReaders;
  before(async () => {
    readers = await TwoReaders.start(limits);
  });
  after(() => readers.close());

  return {
    plainRequests: () => readers.post.plain + readers.get.plain,
    /**
     * Sends the same request to both servers (fast HTTP parser and node:http). Closes each connection after `answers`
     * answers.
     */
    bothAnswers: (request: Buffer, answers = 1) => readers.answersOf([request], answers),
  };
}
