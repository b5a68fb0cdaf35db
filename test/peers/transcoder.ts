import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Question } from '../gateway/ask.ts';
import { Child } from '../system/child.ts';
import { until } from '../system/until.ts';
import { freePort } from './free-port.ts';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const ENVOY = path('.peers/envoy/envoy/_bin/envoy');
const GRPC_GATEWAY = path('.peers/bin/grpc-gateway');

/** An HTTP answer. `body` is decompressed. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/** Sends a request that accepts gzip. Resolves with the answer, whatever its status. */
export async function send(
  address: string,
  { method = 'GET', path: target = '/', headers = {}, body }: Question,
): Promise<HttpAnswer> {
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const answer = await fetch(`http://${address}${target}`, {
    method,
    headers: given,
    ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}

/** A program that serves the REST paths of proto/gsq.binpb and calls the public gRPC port of a core. */
export interface Transcoder {
  /** Address of the HTTP port of the transcoder (a program that translates REST to gRPC), `host:port`. */
  http: string;
  child: Child;
}

/** Starts Envoy with the configuration of deploy/envoy, but with free ports. `core`: public gRPC port, `host:port`. */
export async function startEnvoy(core: string): Promise<Transcoder> {
  const port = await freePort();
  const text = readFileSync(path('deploy/envoy/envoy.yaml'), 'utf8')
    .replace('/opt/gsq/', path(''))
    .replace('port_value: 8081', `port_value: ${port}`)
    .replace('port_value: 50051', `port_value: ${core.split(':')[1]}`);
  return started(`127.0.0.1:${port}`, ENVOY, home => {
    const file = join(home, 'envoy.yaml');
    writeFileSync(file, text);
    return ['--config-path', file, '--disable-hot-restart', '--concurrency', '1', '--log-level', 'warning'];
  });
}

/** Starts the REST server in test/peers/grpc-gateway, which is built with grpc-gateway. */
export async function startGrpcGateway(core: string): Promise<Transcoder> {
  const http = `127.0.0.1:${await freePort()}`;
  return started(http, GRPC_GATEWAY, () => [http, core]);
}

/** Starts a transcoder (a program that translates REST to gRPC). Resolves when the program answers HTTP requests. */
async function started(
  http: string,
  command: string,
  prepare: (home: string) => string[],
): Promise<Transcoder> {
  const child = await Child.start(command, prepare);
  try {
    await until(
      `answers of ${command}`,
      () => send(http, { path: '/v1/get/games' }).catch(() => ({ status: child.running ? 0 : -1 })),
      ({ status }) => status === 200 || status === -1,
    );
    if (!child.running) throw new Error(child.report);
    return { http, child };
  } catch (error) {
    await child.stop('SIGKILL');
    throw error;
  }
}
