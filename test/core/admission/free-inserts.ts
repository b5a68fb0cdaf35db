import { InsertGuard } from '../../../core/admission/insert-guard.ts';
import { InsertRates } from '../../../core/admission/insert-rates.ts';
import { UnconfirmedServers } from '../../../core/admission/unconfirmed-servers.ts';

/** Returns an insert guard without limits: it admits every server. */
export function freeInserts(): InsertGuard {
  const most = Number.MAX_SAFE_INTEGER;
  const unconfirmed = new UnconfirmedServers({ inAll: most, aToken: most, anAddress: most, aNetwork: most });
  return new InsertGuard(new InsertRates({ aMinute: most, aDay: most }, () => 0), unconfirmed);
}
