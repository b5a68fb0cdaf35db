import { type RequestListener, ServerResponse } from 'node:http';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { type Endpoint, formatEndpoint } from '../../runtime/endpoint.ts';
import type { Logger } from '../../runtime/log.ts';

const PROXY_TIMEOUT_MS = 10_000;

/**
 * Forwards each request for `/<name>/...` to the ops endpoint called `name`, so that one address serves all processes.
 * Answers 502 if the endpoint cannot be reached, and 404 if the name is unknown.
 */
export function opsProxy(targets: Readonly<Record<string, Endpoint>>, log: Logger): RequestListener {
  const proxies = new Map(
    Object.entries(targets).map(([name, endpoint]) => [
      name,
      createProxyMiddleware({
        target: `http://${formatEndpoint(endpoint)}`,
        pathRewrite: { [`^/${name}`]: '' },
        proxyTimeout: PROXY_TIMEOUT_MS,
        on: {
          error: (error, _request, response) => {
            log.warn({ err: error, target: name }, 'the ops endpoint of this process cannot be reached');
            if (response instanceof ServerResponse && !response.headersSent) {
              answer(response, 502, 'CORE_1', `The ops endpoint of the ${name} cannot be reached.`);
            } else {
              response.destroy();
            }
          },
        },
      }),
    ]),
  );
  const known = ['/livez', '/readyz', '/metrics', ...[...proxies.keys()].map(name => `/${name}/…`)].join(
    ', ',
  );
  return (request, response) => {
    const name = /^\/([a-z]+)\//.exec(request.url ?? '')?.[1];
    const proxy = name === undefined ? undefined : proxies.get(name);
    if (proxy) void proxy(request, response);
    else answer(response, 404, 'ROUTE_1', `The ops endpoint knows ${known}.`);
  };
}

function answer(response: ServerResponse, status: number, error: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ error, message }));
}
