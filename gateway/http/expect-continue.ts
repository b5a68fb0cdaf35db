import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` when the body of a request with `Expect: 100-continue` is read (RFC 9110, 10.1.1). Sends nothing
 * if a part of the body has arrived already, or if the request is answered without reading its body. If `100 Continue`
 * was not sent, node:http closes the connection after the answer, because it does not know whether the body still
 * follows.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', onListener);
    if (response.headersSent) return;
    const { complete, readableLength, socket } = request;
    if (!complete && readableLength === 0 && socket.readableLength === 0) response.writeContinue();
    // Keeps the connection open after the answer. node:http would close it, because gsq has not sent `100 Continue`.
    // The connection can stay open, because the client sends the body without waiting for `100 Continue`. Sets an
    // internal property of node:http, because there is no public option.
    else Object.assign(response, { _expect_continue: false });
  };
  request.on('newListener', onListener);
}
