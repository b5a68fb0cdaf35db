/** A process that runs one world after the other. */
import { answerQuestions } from '../bench/worker.ts';
import { type Job, runJob } from './cells.ts';
import { Random } from './random.ts';

answerQuestions((job: Job) => {
  // Whatever the service leaves to chance comes out the same for the same seed.
  Math.random = new Random(job.seed + 2).unit;
  return runJob(job);
});
