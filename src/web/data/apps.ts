import { useQuery } from '@tanstack/react-query'
import type { App } from '../../contract/apps'
import { notifyProblem } from '../parts/notices'
import { loadAll } from './pages'
import { cache, parley } from './parley'

const APPS = ['apps']

/** All visible apps. */
export const useApps = () => useQuery({ queryKey: APPS, queryFn: () => loadAll(parley.apps.list()) })

const change = (update: (apps: App[]) => App[]) => cache.setQueryData<App[]>(APPS, (apps) => apps && update(apps))
export const drop = (id: string) => change((apps) => apps.filter((app) => app.id !== id))
export const put = (app: App) => change((apps) => [...apps.filter(({ id }) => id !== app.id), app])

export async function createApp(name: string): Promise<App> {
  const app = await parley.apps.create({ name })
  put(app)
  return app
}

export async function deleteApp(app: App) {
  drop(app.id)
  try {
    await parley.apps.delete({ id: app.id })
  } catch (error) {
    await cache.invalidateQueries({ queryKey: APPS })
    notifyProblem(`Couldn't delete ${app.name}.`, error)
  }
}
