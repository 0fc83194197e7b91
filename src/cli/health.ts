import { isIPv6 } from 'node:net'
import { readConfig } from '../config'
import { StartError } from '../store/engines/start-error'
import type { Command } from './command'

const PATIENCE_MS = 5_000
const EVERYWHERE = ['0.0.0.0', '::']

export const health: Command = {
  name: 'health',
  summary: 'Ask the server on this machine whether it is ready: for health checks of containers.',
  options: {},
  async run() {
    const { host, port } = readConfig(process.env)
    const name = EVERYWHERE.includes(host) ? 'localhost' : isIPv6(host) ? `[${host}]` : host
    const url = `http://${name}:${port}/readyz`
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch((error: Error) => error)
    if (answer instanceof Error) throw new StartError(`No answer from ${url}: ${answer.message}`)
    if (!answer.ok) throw new StartError(`${url} answers ${answer.status}: ${await answer.text()}`)
    console.log('ready')
  },
}
