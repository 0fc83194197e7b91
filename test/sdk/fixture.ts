import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Running } from '../../src/server'
import { createClient } from '../client'
import { deliver, openReceiver } from '../webhooks/receiver'
import { world } from '../world'

export const projectRoot = resolve(import.meta.dir, '../..')

/** A folder for a test. */
export function newFolder() {
  const path = mkdtempSync(join(tmpdir(), 'parley-sdk-'))
  return { path, remove: () => rmSync(path, { recursive: true }) }
}

/** Runs a program until its end. Throws if it fails. */
export async function run(command: string[], cwd = projectRoot, env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(command, { cwd, env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.slice(0, 3).join(' ')} failed:\n${output}${errors}`)
  return output
}

/** Builds the package in a folder. */
export const buildSdk = (folder: string) => run([process.execPath, 'scripts/sdk/build.ts', folder])

/** What `use.js` needs, from a workspace of its own, with a webhook that was really sent. */
export async function prepareUse(server: Running) {
  const { root, general } = await world(server)
  const receiver = openReceiver()
  const { id, secret } = await root.webhooks.create({ url: receiver.url })
  await root.webhooks.ping({ id })
  await deliver(server)
  receiver.stop()
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]]
  return { baseUrl: server.url, token: root.token, channelId: general.id, webhook: { headers, body, secret } }
}

export type Use = Awaited<ReturnType<typeof prepareUse>>

/** What `use.js` returns in every runtime. */
export const expectedUse = (name: string) => ({
  title: name,
  comments: ['<p>1</p>', '<p>2</p>', '<p>3</p>'],
  events: ['comment.created', 'comment.created', 'comment.created'],
  isNotFound: true,
  error: ['NotFoundError', 404, 'not_found', 'string'],
  forged: 'SignatureError',
  unwrapped: 'webhook.ping',
  author: 'Root Admin',
  hasRequestId: true,
})

/** The titles of the posts there are now. */
export const listTitles = async ({ baseUrl, token }: Use) =>
  (await createClient({ baseUrl, token }).posts.list()).data.map(({ title }) => title)
