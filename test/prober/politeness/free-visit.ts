import assert from 'node:assert/strict';
import { Manners } from '../../../prober/politeness/manners.ts';
import { Visit } from '../../../prober/politeness/visit.ts';
import type { TimerWheel } from '../../../prober/timing/timer-wheel.ts';

/** A visit to an address that may send what it likes. */
export function freeVisit(wheel: TimerWheel, address = '127.0.0.1'): Visit {
  const budgets = { probesAnAddress: 1, packetsAnAddress: 999, packetsANetwork: 999, packetsInAll: 999 };
  const manners = new Manners(budgets, wheel);
  const visit = manners.enter({ address, ports: [1] });
  assert.ok(visit instanceof Visit);
  return visit;
}
