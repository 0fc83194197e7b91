import type { World } from './world'

/** The objects of a workspace in the storage. */
export async function objectsOf({ server: { parley }, workspaceKey }: World) {
  const { id } = await parley.engine.read((db) =>
    db.selectFrom('workspaces').where('key', '=', workspaceKey).select('id').executeTakeFirstOrThrow(),
  )
  const objects: string[] = []
  for await (const { object } of parley.files.storage.list()) if (object.startsWith(`${id}/`)) objects.push(object)
  return objects
}
