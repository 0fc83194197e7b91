import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../postgres'
import { ensureS3, s3Server } from '../../tools'

export const KEYS = { S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' }

export type S3Server = Awaited<ReturnType<typeof startS3>>

/** An S3 server with the bucket `parley`. It keeps its objects while it is stopped. */
export async function startS3() {
  await ensureS3()
  const folder = mkdtempSync(join(tmpdir(), 'parley-s3-'))
  const port = await freePort()
  const where = ['--directory', folder, '--port', String(port), '--address', '127.0.0.1']
  let running: Bun.Subprocess

  async function start() {
    const command = ['node', s3Server, ...where, '--configure-bucket', 'parley']
    running = Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' })
    while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))) await Bun.sleep(50)
  }
  async function stop() {
    running.kill()
    await running.exited
  }

  await start()
  return {
    port,
    start,
    stop,
    urlOf: (prefix: string) => `s3://parley/${prefix}?endpoint=http://127.0.0.1:${port}&region=us-east-1`,
    async close() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
