import type { IncomingHttpHeaders } from 'node:http';
import type { ServiceError } from '@grpc/grpc-js';
import { hearTold, isHeard } from './transcript.ts';

/*
 * Records the error answers and metrics of a test run, so that scripts/secret-leaks.ts can search them for secrets.
 * Successful answers are not recorded, because they can contain a secret for good reason, such as a new token.
 */

const REFUSED = 400;
/**
 * Longest time to wait for the metrics of a process, in milliseconds. The limit is needed because a process that a test
 * stopped with SIGSTOP never answers.
 */
const SCRAPE_MS = 2_000;
const PATHS = {
  core: ['/metrics', '/metrics/servers'],
  gateway: ['/metrics'],
  prober: ['/metrics'],
  notifier: ['/metrics'],
} as const;

/** Records an HTTP answer if its status is 400 or higher. scripts/secret-leaks.ts later searches it for secrets. */
export function hearHttp(status: number, headers: IncomingHttpHeaders, text: string): void {
  if (status < REFUSED) return;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  hearTold('answers of REST', [status, ...lines, text].join('\n'));
}

/**
 * Records the error of a gRPC call: code, message and all metadata. scripts/secret-leaks.ts later searches it for
 * secrets.
 */
export function hearGrpc({ code, details, metadata }: ServiceError): void {
  const values = Object.entries(metadata.getMap()).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : value.toString('latin1')}`,
  );
  hearTold('answers of gRPC', [code, details, ...values].join('\n'));
}

/**
 * Records the metrics of a process. scripts/secret-leaks.ts later searches them for secrets. `address` is the
 * `host:port` of the ops endpoint of the process.
 */
export async function hearMetrics(name: keyof typeof PATHS, address: string): Promise<void> {
  if (!isHeard) return;
  const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(SCRAPE_MS) };
  for (const path of PATHS[name]) {
    const answer = await fetch(`http://${address}${path}`, options).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer?.ok && text) hearTold(`metrics of ${name}`, text);
  }
}
