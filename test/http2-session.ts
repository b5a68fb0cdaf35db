import type { Http2Session } from 'node:http2';

/**
 * Destroys an HTTP/2 session in the next turn of the event loop. In Node 20, a direct call of `session.destroy()` in a
 * test can corrupt memory (fixed by https://github.com/nodejs/node/pull/64166).
 */
export function destroySession(session: Http2Session): Promise<void> {
  return new Promise(resolve => {
    // Node's parser of HTTP/2 frames often calls the test. If the test destroys the session during such a call, Node 20
    // frees a stream that the parser still uses.
    setImmediate(() => {
      session.destroy();
      resolve();
    });
  });
}
