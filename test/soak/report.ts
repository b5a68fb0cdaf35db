import { mebibytes } from '../bench/process-usage.ts';
import { processNames } from '../system/stack-settings.ts';
import type { SoakSample } from './sampler.ts';
import type { Verdict } from './verdicts.ts';

function shown(value: number, what: string): string {
  if (/Bytes$/.test(what)) return `${mebibytes(value)?.toFixed(1) ?? '0.0'} MiB`;
  return Number.isInteger(value) ? String(value) : value.toFixed(4);
}

export function tell({ what, value, limit, met, trend }: Verdict): void {
  const about = trend ? ` (median ${shown(trend.median, what)}, growth ${shown(trend.growth, what)})` : '';
  console.log(
    `${met ? 'ok    ' : 'FAILED'} ${what}: ${shown(value, what)}, at most ${shown(limit, what)}${about}`,
  );
}

export function tellProgress({ at, processes, scheduleLagSeconds, probes, fetches }: SoakSample): void {
  const memory = processNames.map(
    name => `${name} ${mebibytes(processes[name].residentBytes)?.toFixed(0)} MiB`,
  );
  console.log(
    `${(at / 60).toFixed(1)} min: ${memory.join(', ')}; lag ${scheduleLagSeconds} s; ${probes} probes, ${fetches} fetches`,
  );
}
