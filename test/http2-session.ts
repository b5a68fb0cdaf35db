import type { Http2Session } from 'node:http2';

/**
 * Destroys an HTTP/2 session in the next turn of the event loop. In Node 20, a direct call of `session.destroy()` in a
 * test can corrupt memory (fixed by https://github.com/nodejs/node/pull/64166).
 */
export function destroySession(session: Http2Session): Promise<void> {
  return new Promise(resolve => {
    // The code of a test often runs in a callback of Node's HTTP/2 parser. If the session were destroyed in such a
    // callback, Node 20 would free a stream that the parser still uses. Therefore the session is destroyed in the next
    // turn of the event loop.
    setImmediate(() => {
      session.destroy();
      resolve();
    });
  });
}
