import { Worker } from 'node:worker_threads';
import { threadScript } from '../../../runtime/thread-script.ts';
import { overloaded } from '../../upstream/core-errors.ts';

/** Reply of the worker thread that draws SVG images: a PNG image, or the text of an error. */
export type RasterReply = { readonly png: Uint8Array } | { readonly error: string };

interface Job {
  readonly svg: string;
  resolve(png: Buffer): void;
  reject(error: unknown): void;
}

/** Maximum number of images that wait to be drawn. An image takes about 30 ms. */
const MOST_QUEUED = 32;
/** Maximum number of drawn images in the cache. An image has about 20 KB. */
const MOST_CACHED = 256;
/**
 * A worker thread ends after this number of images, and a new one starts. The rasteriser keeps images in native memory,
 * which the garbage collector does not free. Without this limit, 200 images took 180 MB.
 */
const IMAGES_PER_WORKER = 50;

/** Draws SVG images as PNG images on a worker thread, one after the other. Caches the most recently used images. */
export class Rasteriser {
  readonly #createWorker: () => Worker;
  readonly #queue: Job[] = [];
  /** The drawn PNG images, keyed by their SVG source. The most recently used image is the last. */
  readonly #cache = new Map<string, Promise<Buffer>>();
  #running: Job | undefined;
  #worker: Worker | undefined;
  #drawn = 0;

  /** `createWorker`: starts a worker thread that draws images. It may throw an Error. */
  constructor(createWorker: () => Worker = createRasterWorker) {
    this.#createWorker = createWorker;
  }

  /**
   * Draws an SVG image and returns it as PNG. Rejects with `overloaded` if too many images wait, and with an Error if
   * the SVG cannot be drawn or the worker thread ends.
   */
  draw(svg: string): Promise<Buffer> {
    const cached = this.#cache.get(svg);
    if (cached) {
      this.#cache.delete(svg);
      this.#cache.set(svg, cached);
      return cached;
    }
    if (this.#queue.length >= MOST_QUEUED) return Promise.reject(overloaded);
    const drawing = new Promise<Buffer>((resolve, reject) => {
      this.#queue.push({ svg, resolve, reject });
      this.#next();
    });
    this.#cache.set(svg, drawing);
    drawing.catch(() => this.#cache.delete(svg));
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > MOST_CACHED && oldest !== undefined) this.#cache.delete(oldest);
    return drawing;
  }

  /** Ends the worker thread that draws the images. Rejects all images that are not drawn yet. */
  async close(): Promise<void> {
    const jobs = [this.#running, ...this.#queue.splice(0)];
    this.#running = undefined;
    for (const job of jobs) job?.reject(notDrawn('the rasteriser is closed'));
    await this.#endWorker();
  }

  #next(): void {
    while (!this.#running) {
      const job = this.#queue.shift();
      if (!job) return;
      this.#running = job;
      try {
        this.#worker ??= this.#startWorker();
        this.#worker.postMessage(job.svg);
      } catch (error) {
        this.#running = undefined;
        job.reject(notDrawn(String(error)));
      }
    }
  }

  #startWorker(): Worker {
    const worker = this.#createWorker();
    this.#drawn = 0;
    // Lets the process of the gateway end, although this worker thread still waits for images.
    worker.unref();
    worker.on('message', (reply: RasterReply) => {
      if (worker === this.#worker) this.#finish(reply);
    });
    worker.on('error', error => this.#loseWorker(worker, String(error)));
    worker.on('messageerror', error => this.#loseWorker(worker, String(error)));
    // A worker thread can end without the event `error`, for example with `process.exit`.
    worker.on('exit', code => this.#loseWorker(worker, `exit code ${code}`));
    return worker;
  }

  /**
   * Rejects the image that `worker` draws, and goes on with a new worker thread. Does nothing if `worker` was already
   * replaced: a late event of an old worker must not end the image that the new worker draws.
   */
  #loseWorker(worker: Worker, cause: string): void {
    if (worker !== this.#worker) return;
    void this.#endWorker();
    this.#finish({ error: cause });
  }

  #finish(reply: RasterReply): void {
    const job = this.#running;
    this.#running = undefined;
    if ('png' in reply) job?.resolve(Buffer.from(reply.png));
    else job?.reject(notDrawn(reply.error));
    if (++this.#drawn >= IMAGES_PER_WORKER) void this.#endWorker();
    this.#next();
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function createRasterWorker(): Worker {
  return new Worker(threadScript(new URL('./raster-worker.ts', import.meta.url)), { execArgv: [] });
}

function notDrawn(cause: string): Error {
  return new Error(`the image cannot be drawn: ${cause}`);
}
