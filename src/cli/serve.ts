import { readConfig } from '../config'
import { startServer } from '../server'
import type { FirstStart } from '../setup/first-start'
import { StartError } from '../store/engines/start-error'
import { version } from '../version'
import type { Command } from './command'
import { settingsHelp } from './settings-help'

export const serve: Command = {
  name: 'serve',
  summary: 'Start the server.',
  details: settingsHelp(),
  options: {},
  async run() {
    const config = readConfig(process.env)
    const server = startOrExplain()
    stopOnSignals(server)
    console.log(
      `Parley ${version} listens on ${server.url} · ${server.parley.engine.kind} ${server.parley.engine.location}`,
    )
    const made = await server.ready
    if (made) console.log(firstWords(server.url, config.adminEmail, made))

    function startOrExplain() {
      try {
        return startServer(config)
      } catch (error) {
        const { code } = error as { code?: string }
        if (code === 'EADDRINUSE') throw new StartError(`Port ${config.port} is in use. Set PORT to another one.`)
        if (code === 'EACCES')
          throw new StartError(
            `Port ${config.port} needs rights this process does not have. Set PORT to one above 1023.`,
          )
        throw error
      }
    }
  },
}

/** Finishes what runs, then leaves; a second signal leaves at once. */
function stopOnSignals(server: ReturnType<typeof startServer>) {
  let isStopping = false
  const stop = async () => {
    if (isStopping) process.exit(1)
    isStopping = true
    await server.stop()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

const firstWords = (url: string, email: string, { signInLink, token }: FirstStart) => `
This is the first start. Keep what follows: it is not shown again.

Sign in as the admin, ${email} (the link works once, within a week):
  ${signInLink}

An access token of that admin:
  ${token}

Try it:
  curl -H "Authorization: Bearer ${token}" ${url}/v2/posts

The API reference is at ${url}/docs
`
