import type { Http2Session } from 'node:http2';

/**
 * Destroys an HTTP/2 session in the next turn of the event loop, and resolves afterwards. Tests must not call
 * `session.destroy()` themselves: Node 20 can then corrupt memory (fixed by https://github.com/nodejs/node/pull/64166).
 */
export function destroySession(session: Http2Session): Promise<void> {
  return new Promise(resolve => {
    // After an `await`, a test often runs inside the function of Node that parses received HTTP/2 frames. If the
    // session is destroyed there, Node 20 frees a stream that this function still uses.
    setImmediate(() => {
      session.destroy();
      resolve();
    });
  });
}
