import type { Stack } from '../system/stack.ts';
import { OPS_ADDR, processNames } from '../system/stack-settings.ts';
import { readExposition } from './exposition.ts';
import type { Scrape } from './promql/series.ts';

/** Fetches the metrics of a process as text. Rejects if the HTTP status is not 200. */
export async function metricsText(address: string): Promise<string> {
  const response = await fetch(`http://${address}/metrics`);
  if (response.status !== 200) throw new Error(`${address}/metrics answered ${response.status}`);
  return response.text();
}

/**
 * Scrapes every process of a test stack, with the labels of deploy/prometheus/prometheus.yml. The samples of a process
 * that does not answer are undefined.
 */
export function scrape(stack: Stack, at = Date.now()): Promise<Scrape[]> {
  return Promise.all(
    processNames.map(async name => {
      const address = stack.process(name).address(OPS_ADDR[name]);
      const labels = new Map([
        ['job', `gsq-${name}`],
        ['instance', address],
      ]);
      const samples = await metricsText(address).then(
        text => readExposition(text).samples,
        () => undefined,
      );
      return { at, labels, samples };
    }),
  );
}
