import { Unanswered } from '../../../core/servers/unanswered.ts';
import type { Level } from '../../../core/store/level.ts';

/** A table of pairs that never answered, of those that a store holds. */
export function unansweredOf(level: Level, now: () => number, most = 1000): Promise<Unanswered> {
  return Unanswered.load(level, {
    now,
    most,
    isTracked: () => false,
    corrupt: key => {
      throw new Error(`${key} cannot be read`);
    },
  });
}
