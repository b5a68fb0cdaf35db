import { InsertGuard } from '../../../core/servers/insert-guard.ts';
import { InsertRates } from '../../../core/servers/insert-rates.ts';
import { Unproven } from '../../../core/servers/unproven.ts';

/** A guard that lets everything in. */
export function freeInserts(): InsertGuard {
  const most = Number.MAX_SAFE_INTEGER;
  const unproven = new Unproven({ inAll: most, aToken: most, anAddress: most, aNetwork: most });
  return new InsertGuard(new InsertRates({ aMinute: most, aDay: most }, () => 0), unproven);
}
