import { answerQuestions } from '../../bench/worker.ts';
import { measureRetained, type Retained, type RetainedJob } from './retained-history.ts';
import { type Cost, type CostJob, simulateCost } from './simulated-cost.ts';

/**
 * Describes a measurement of the history. `cost`: measures the CPU time and the disk space that the history needs.
 * `retained`: measures the size of a long history and how fast it is read. Each measurement must run in a process of
 * its own.
 */
export type Measurement = { cost: CostJob } | { retained: RetainedJob };

answerQuestions(
  (measurement: Measurement): Promise<Cost | Retained> =>
    'cost' in measurement ? simulateCost(measurement.cost) : measureRetained(measurement.retained),
);
