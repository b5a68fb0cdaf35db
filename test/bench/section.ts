import type { LoadGenerator } from './load-generator.ts';
import type { Table } from './table.ts';

/** Options of every bench section. */
export interface Bench {
  load: LoadGenerator;
  /**
   * Number of measured rounds of each comparison, without warm-up rounds. The tables show medians over these rounds.
   */
  rounds: number;
  /** Duration of one measurement of a round, in seconds. Each round measures every compared variant once. */
  seconds: number;
  /**
   * Duration of an overload measurement, in seconds. The bench section `minute` uses the same duration for all its
   * probe rates except the highest, which takes 60 seconds.
   */
  overloadSeconds: number;
  /** Number of tracked servers of the bench section `search`. */
  servers: number;
}

/** A bench section: measures one aspect of the service. Resolves to tables with the results. */
export type Section = (bench: Bench) => Promise<Table[]>;
