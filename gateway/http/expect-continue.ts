import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` when the body of a request with `Expect: 100-continue` is read (RFC 9110, 10.1.1). Sends nothing
 * if a part of the body has arrived already. If the body is never read, node:http closes the connection after the
 * answer.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', onListener);
    if (response.headersSent) return;
    const { complete, readableLength, socket } = request;
    if (!complete && readableLength === 0 && socket.readableLength === 0) response.writeContinue();
    // The client has sent body bytes without waiting for `100 Continue`, so none is sent. node:http would then close
    // the connection after the answer. Only the internal property `_expect_continue` prevents this; no option does.
    else Object.assign(response, { _expect_continue: false });
  };
  request.on('newListener', onListener);
}
