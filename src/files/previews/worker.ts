import { codeOf, makeFolder, onDisk } from '../disk'
import { StorageUnavailable } from '../storage'
import script from './preview-worker.js' with { type: 'text' }

/** The image cannot be decoded. Trying again will not help. */
export class PreviewFailed extends Error {}

/** The process ended before it had answered, such as one that was killed because memory ran out. */
class WorkerEnded extends StorageUnavailable {}

export interface Task {
  input: string
  output: string
  pixels: number
  maxPixels: number
  quality: number
}

interface Worker {
  process: Bun.Subprocess<'pipe', 'pipe', 'ignore'>
  lines: AsyncIterator<string>
}

export type PreviewWorker = ReturnType<typeof openWorker>

/** A process that makes one preview at a time. It is started when there is something to do, and ends when there is nothing. */
export function openWorker(folder: string, { timeoutMs, idleMs }: { timeoutMs: number; idleMs: number }) {
  let running: Worker | undefined
  let idle: ReturnType<typeof setTimeout> | undefined

  async function start(): Promise<Worker> {
    await onDisk(() => makeFolder(folder))
    // This starts Bun itself, even if this program is a compiled executable. The process gets no settings, so it knows no secrets.
    const process_ = Bun.spawn([process.execPath, '--smol', '-e', script], {
      cwd: folder,
      env: { BUN_BE_BUN: '1' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    process_.unref()
    // If the process was killed while it was idle, the next image must not fail because of that.
    void process_.exited.then(() => {
      if (running?.process === process_) running = undefined
    })
    return { process: process_, lines: readLines(process_.stdout) }
  }

  function stop(signal?: NodeJS.Signals): Promise<unknown> {
    clearTimeout(idle)
    const stopped = running?.process
    running = undefined
    if (signal) stopped?.kill(signal)
    else stopped?.stdin.end()
    return stopped?.exited ?? Promise.resolve()
  }

  /** Returns the size of the preview in bytes. If the process is killed, another one tries it once more. */
  async function run(task: Task): Promise<number> {
    try {
      return await runOnce(task)
    } catch (error) {
      if (error instanceof WorkerEnded) return runOnce(task)
      throw error
    }
  }

  async function runOnce(task: Task): Promise<number> {
    clearTimeout(idle)
    try {
      running ??= await start()
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error
      throw new StorageUnavailable(`Previews cannot be made: ${codeOf(error) ?? 'no process can be started'}.`)
    }
    const { process: process_, lines } = running
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      process_.kill('SIGKILL')
    }, timeoutMs)
    try {
      await send(process_, task)
      const { value, done } = await lines.next()
      if (done && isLate) throw new StorageUnavailable('A preview cannot be made: it takes too long.')
      if (done) throw new WorkerEnded('A preview cannot be made: the process that makes it was ended.')
      const { size, code } = JSON.parse(value) as { size?: number; code?: string }
      if (size === undefined) throw explain(code ?? '')
      idle = setTimeout(() => void stop(), idleMs)
      idle.unref()
      return size
    } catch (error) {
      void stop('SIGKILL')
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  return { run, stop: () => stop('SIGKILL') }
}

async function send({ stdin }: Worker['process'], task: Task): Promise<void> {
  try {
    stdin.write(`${JSON.stringify(task)}\n`)
    await stdin.flush()
  } catch {
    // Input that it did not read because it was killed. Its output shows that it has ended.
  }
}

/** `ERR_IMAGE_ENCODE_FAILED` is not among them: it is not because of the image. */
const DECODING_ERRORS = /^ERR_IMAGE_(?:DECODE_FAILED|UNKNOWN_FORMAT|FORMAT_UNSUPPORTED|TOO_MANY_PIXELS)$/

function explain(code: string): Error {
  if (DECODING_ERRORS.test(code)) return new PreviewFailed(`The image could not be decoded (${code}).`)
  return new StorageUnavailable(`Previews cannot be made: ${code}.`)
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop()!
    yield* lines
  }
}
