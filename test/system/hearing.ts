import type { IncomingHttpHeaders } from 'node:http';
import type { ServiceError } from '@grpc/grpc-js';
import { hearTold, isHeard } from './transcript.ts';

/*
 * Collects error answers and metrics for the leak search (scripts/secret-leaks.ts), which also searches the output of
 * all processes. Successful answers are not collected, because they can contain a secret for good reason, for example a
 * new token.
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

/** Collects an HTTP answer for the leak search if its status is 400 or higher. */
export function hearHttp(status: number, headers: IncomingHttpHeaders, text: string): void {
  if (status < REFUSED) return;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  hearTold('answers of REST', [status, ...lines, text].join('\n'));
}

/** Collects the error of a gRPC call for the leak search: code, message and all metadata. */
export function hearGrpc({ code, details, metadata }: ServiceError): void {
  const values = Object.entries(metadata.getMap()).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : value.toString('latin1')}`,
  );
  hearTold('answers of gRPC', [code, details, ...values].join('\n'));
}

/** Collects the metrics of a process for the leak search. `address` is the `host:port` of its ops endpoint. */
export async function hearMetrics(name: keyof typeof PATHS, address: string): Promise<void> {
  if (!isHeard) return;
  const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(SCRAPE_MS) };
  for (const path of PATHS[name]) {
    const answer = await fetch(`http://${address}${path}`, options).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer?.ok && text) hearTold(`metrics of ${name}`, text);
  }
}
