import type { IncomingHttpHeaders } from 'node:http';
import type { ServiceError } from '@grpc/grpc-js';
import { hearTold, isHeard } from './transcript.ts';

/*
 * What else than the output of processes is searched for secrets (scripts/secret-leaks.ts). Of answers it is the refusals
 * alone: what answers well may hand a secret to its owner, as making and rotating a token do.
 */

const REFUSED = 400;
/** A process that a test has frozen tells nothing. */
const SCRAPE_MS = 2_000;
const PATHS = {
  core: ['/metrics', '/metrics/servers'],
  gateway: ['/metrics'],
  prober: ['/metrics'],
} as const;

/** Keeps an answer over HTTP, where it is a refusal. */
export function hearHttp(status: number, headers: IncomingHttpHeaders, text: string): void {
  if (status < REFUSED) return;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  hearTold('answers of REST', [status, ...lines, text].join('\n'));
}

/** Keeps what a call over gRPC failed with: message, metadata and, among them, the details of the status. */
export function hearGrpc({ code, details, metadata }: ServiceError): void {
  const values = Object.entries(metadata.getMap()).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : value.toString('latin1')}`,
  );
  hearTold('answers of gRPC', [code, details, ...values].join('\n'));
}

/** Keeps what a process tells at its ops endpoint, `host:port`. */
export async function hearMetrics(name: keyof typeof PATHS, address: string): Promise<void> {
  if (!isHeard) return;
  const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(SCRAPE_MS) };
  for (const path of PATHS[name]) {
    const answer = await fetch(`http://${address}${path}`, options).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer?.ok && text) hearTold(`metrics of ${name}`, text);
  }
}
