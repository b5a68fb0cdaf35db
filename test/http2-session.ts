import type { Http2Session } from 'node:http2';

/**
 * Destroys an HTTP/2 session in the next turn of the event loop, and resolves when it has done so.
 *
 * Tests must not call `session.destroy()` themselves. After an `await`, a test often runs inside the function of Node
 * that parses received HTTP/2 frames. If the session is destroyed there, Node 20 frees a stream that this function
 * still uses. The memory of the process is then corrupted, and the process aborts at some later time. Newer releases of
 * Node contain the fix (https://github.com/nodejs/node/pull/64166).
 */
export function destroySession(session: Http2Session): Promise<void> {
  return new Promise(resolve => {
    setImmediate(() => {
      session.destroy();
      resolve();
    });
  });
}
