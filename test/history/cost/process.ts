import { answerQuestions } from '../../bench/worker.ts';
import { measureRetained, type Retained, type RetainedJob } from './retained-history.ts';
import { type Cost, type CostJob, simulateCost } from './simulated-cost.ts';

/** A measurement of the cost of the history. Each measurement needs a process of its own. */
export type Measurement = { cost: CostJob } | { retained: RetainedJob };

answerQuestions(
  (measurement: Measurement): Promise<Cost | Retained> =>
    'cost' in measurement ? simulateCost(measurement.cost) : measureRetained(measurement.retained),
);
