import { type SeedOptions, seedWorkspace } from '../../src/seed'
import { findWorkspace } from '../../src/store/people/workspaces'
import { type World, world } from '../world'

const DAY = 86_400_000

/** A test workspace with generated content of the last two years. */
export async function createSeededWorld(wishes: Partial<SeedOptions> = {}): Promise<World> {
  const cast = await world()
  const { parley } = cast.server
  const workspace = (await parley.engine.read((db) => findWorkspace(db, cast.slug)))!
  const until = parley.clock() - (parley.clock() % DAY)
  const usual = { posts: 60, channels: 6, members: 12, commentsEvery: 3, threads: 4, seed: 1, until }
  await seedWorkspace(parley, workspace, { ...usual, ...wishes })
  return cast
}
