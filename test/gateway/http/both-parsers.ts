import { after, before } from 'node:test';
import { TwoReaders } from './two-readers.ts';

/**
 * Starts two servers for all tests of a file: one with the fast HTTP parser, and one with node:http alone. The returned
 * `plainRequests` is the number of requests that the fast HTTP parser has read so far.
 */
export function withTwoReaders() {
  let readers: TwoReaders;
  const hasty = {
    headersTimeout: 60,
    requestTimeout: 60,
    keepAliveTimeout: 60,
    connectionsCheckingInterval: 20,
  };
  before(async () => {
    readers = await TwoReaders.start(hasty);
  });
  after(() => readers.close());

  return {
    plainRequests: () => readers.post.plain + readers.get.plain,
    /**
     * Sends a request to the server with the fast HTTP parser and to the server with node:http alone. Closes each
     * connection after `answers` answers. Returns the answers of both servers.
     */
    bothRoads: (request: Buffer, answers = 1) => readers.answersOf([request], answers),
  };
}
