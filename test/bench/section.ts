import type { LoadGenerator } from './load-generator.ts';
import type { Table } from './table.ts';

/** What every section is told. */
export interface Bench {
  load: LoadGenerator;
  /** Counted rounds of every comparison; its figures are their medians. */
  rounds: number;
  /** Length of a round. */
  seconds: number;
  /** How long the service is offered twice what it can do. */
  overloadSeconds: number;
}

/** Measures one thing and tells what it found. */
export type Section = (bench: Bench) => Promise<Table[]>;
