/** A worker process of `npm run test:truth`. It runs one simulation after another. */
import { answerQuestions } from '../bench/worker.ts';
import { type Job, runJob } from './cells.ts';
import { Random } from './random.ts';

answerQuestions((job: Job) => {
  // Replaces Math.random by a seeded generator, so that the service makes the same random decisions for the same seed.
  Math.random = new Random(job.seed + 2).unit;
  return runJob(job);
});
