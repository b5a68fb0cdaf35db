import type { Exposition } from './exposition.ts';

/**
 * Returns the violations of Prometheus' naming conventions (prometheus.io/docs/practices/naming). Counters end in
 * `_total`, and other metrics do not. In addition, metrics of gsq must use base units and snake case.
 */
export function namingFaults({ types, samples }: Exposition): string[] {
  const faults: string[] = [];
  for (const [name, type] of types) {
    if ((type === 'counter') !== name.endsWith('_total')) faults.push(`${name} is a ${type}`);
    if (!name.startsWith('gsq_')) continue;
    if (/_(?:ms|milliseconds|millis|us|minutes|hours|days|kb|mb|kib|mib|percent)(?:_|$)/.test(name))
      faults.push(`${name} is in no base unit`);
    if (type === 'histogram' && !/_(?:seconds|bytes)$/.test(name)) faults.push(`${name} tells no unit`);
    if (/[A-Z:]|__/.test(name)) faults.push(`${name} is not in snake case`);
  }
  for (const { name, labels } of samples) {
    if (!name.startsWith('gsq_')) continue;
    for (const label of labels.keys())
      if (!/^[a-z][a-z_]*$/.test(label)) faults.push(`${name} has a label ${label}`);
  }
  return faults;
}
