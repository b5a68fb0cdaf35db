import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` when the body of a request with `Expect: 100-continue` is read (RFC 9110, 10.1.1). Sends nothing
 * if a part of the body has arrived already, or if the request is answered without reading its body. node:http closes
 * the connection after an answer without `100 Continue`, because it is unknown whether the body still follows.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', onListener);
    if (response.headersSent) return;
    const { complete, readableLength, socket } = request;
    if (!complete && readableLength === 0 && socket.readableLength === 0) response.writeContinue();
    // The body has arrived without `100 Continue`, so node:http need not close the connection. There is no public
    // option to prevent the closing.
    else Object.assign(response, { _expect_continue: false });
  };
  request.on('newListener', onListener);
}
