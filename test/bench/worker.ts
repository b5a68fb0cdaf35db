import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * A child process that does work for the bench, so that the work uses no CPU time of the parent process. The parent
 * process sends one message at a time, and receives one answer to each message.
 */
export class Worker<Question extends object, Answer> {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /**
   * Starts a child process with a module that calls `answerQuestions`. `options` are additional command-line options of
   * Node.
   */
  static async start<Question extends object, Answer>(
    module: URL,
    options: readonly string[] = [],
  ): Promise<Worker<Question, Answer>> {
    const child = fork(module, { serialization: 'advanced', execArgv: [...process.execArgv, ...options] });
    await once(child, 'spawn');
    return new Worker(child);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /**
   * Sends a message to the child process. Resolves to the answer. Rejects if the child process reports an error or
   * exits.
   */
  async ask(question: Question): Promise<Answer> {
    const gone = new AbortController();
    const ended = once(this.#process, 'exit', { signal: gone.signal }).then(([code]) => {
      throw new Error(`a process of the bench ended with ${code}`);
    });
    ended.catch(() => {});
    try {
      this.#process.send(question);
      const [reply] = await Promise.race([once(this.#process, 'message', { signal: gone.signal }), ended]);
      if ('error' in reply) throw new Error(reply.error);
      return reply.answer;
    } finally {
      gone.abort();
    }
  }

  async stop(): Promise<void> {
    if (!this.#process.connected) return;
    this.#process.disconnect();
    await once(this.#process, 'exit');
  }
}

/** Runs in the child process: answers the messages of the parent process until the parent process disconnects. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  process.on('message', (question: Question) => {
    answer(question).then(
      value => process.send?.({ answer: value }),
      error =>
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
