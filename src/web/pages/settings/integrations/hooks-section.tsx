import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Hook, NewHook } from '../../../../contract/hooks'
import {
  deleteHook,
  removeHookPicture,
  renameHook,
  renewHook,
  setHookPicture,
  testHook,
  useHooks,
  useNotHookOwnerReason,
} from '../../../data/integrations'
import { useMe } from '../../../data/me'
import { Avatar } from '../../../parts/avatar'
import { Button } from '../../../parts/button'
import { Dialog, useConfirm } from '../../../parts/dialog'
import { getFieldError, NameField } from '../../../parts/field'
import { DialogForm } from '../../../parts/form-dialog'
import { Menu } from '../../../parts/menu'
import { notify, notifyProblem } from '../../../parts/notices'
import { Empty, ProblemNote } from '../../../parts/states'
import { Time } from '../../../parts/time'
import { paths } from '../../../paths'
import { CopyableCode, RowSkeleton, SecretNote } from '../parts'
import { isGenerated, PICTURE_SIZE, PictureForm } from '../picture-form'
import { HookForm } from './hook-form'

/** Incoming webhooks: all of the workspace for admins, else the member's own. */
export function HooksSection() {
  const { role } = useMe()
  const hooks = useHooks()
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<NewHook>()
  const newHook = (role === 'admin' || role === 'member') && (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New incoming webhook
    </Button>
  )
  return (
    <>
      <p className="meta">
        An incoming webhook is an address that other systems post to, such as Grafana, GitHub or your build server. It
        understands Slack’s format. <a href={paths.hookGuide}>How to set up each system</a>
      </p>
      {created && (
        <SecretNote title={`Address of ${created.name}`} secret={created.url} dismiss={() => setCreated(undefined)}>
          <p className="meta">Anyone who has it can post. Try it in a terminal:</p>
          <CopyableCode label="Copy command" text={`curl -d '{"text": "Hello"}' ${created.url}`} />
        </SecretNote>
      )}
      {hooks.error && !hooks.data && <ProblemNote error={hooks.error} retry={() => void hooks.refetch()} />}
      {!hooks.data && !hooks.error && <RowSkeleton what="incoming webhooks" />}
      {hooks.data?.length === 0 && (
        <Empty title="No incoming webhooks yet" action={newHook}>
          Let alerts and builds appear where your team talks about them.
        </Empty>
      )}
      {hooks.data && hooks.data.length > 0 && (
        <>
          <ul className="rows" aria-label="Incoming webhooks">
            {hooks.data.map((hook) => (
              <HookRow key={hook.id} hook={hook} showAddress={setCreated} />
            ))}
          </ul>
          <div>{newHook}</div>
        </>
      )}
      {isCreating && <HookForm close={() => setCreating(false)} done={setCreated} />}
    </>
  )
}

function HookRow({ hook, showAddress }: { hook: Hook; showAddress(hook: NewHook | undefined): void }) {
  const [isEditing, setEditing] = useState(false)
  const [question, ask] = useConfirm()
  const [, navigate] = useLocation()
  const notOwnerReason = useNotHookOwnerReason(hook)
  const test = () =>
    testHook(hook).then(
      ({ url }) => notify('Test sent.', { label: 'Open', run: () => navigate(toPath(url)) }),
      (error) => notifyProblem("Couldn't send the test.", error),
    )
  const renew = () =>
    ask({
      title: `New address for ${hook.name}?`,
      text: 'The old address stops working immediately.',
      label: 'Create new address',
      run: () => renewHook(hook).then(showAddress, (error) => notifyProblem("Couldn't create a new address.", error)),
    })
  const remove = () =>
    ask({
      title: `Delete ${hook.name}?`,
      text: 'Its address stops working immediately. What it posted stays.',
      label: 'Delete',
      run: () =>
        deleteHook(hook).then(
          () => showAddress(undefined),
          (error) => notifyProblem(`Couldn't delete ${hook.name}.`, error),
        ),
    })
  return (
    <li className="rows-item">
      <div className="hook">
        <Avatar of={hook.author} size={32} />
        <div>
          <p className="rows-name">{hook.name}</p>
          <p className="meta">
            <HookTarget hook={hook} />
            {notOwnerReason && ` · owned by ${hook.owner.name}`} ·{' '}
            {hook.last_used_at ? (
              <>
                last used <Time at={hook.last_used_at} />
              </>
            ) : (
              'never used'
            )}
          </p>
          {hook.problem && <p className="field-error">Not working: {hook.problem}</p>}
        </div>
      </div>
      <div className="row">
        <Button
          label={`Send a test with ${hook.name}`}
          disabledReason={notOwnerReason ?? (hook.problem ? `Not working: ${hook.problem}` : undefined)}
          onClick={() => void test()}
        >
          Send a test
        </Button>
        <Menu
          label={`Actions for ${hook.name}`}
          entries={[
            { label: 'Edit…', icon: 'edit', run: () => setEditing(true) },
            { label: 'New address…', icon: 'lock', disabledReason: notOwnerReason, run: renew },
            { label: 'Delete…', icon: 'trash', isDanger: true, run: remove },
          ]}
        />
      </div>
      {isEditing && <HookEdit hook={hook} close={() => setEditing(false)} />}
      {question}
    </li>
  )
}

const toPath = (url: string) => {
  const { pathname, hash } = new URL(url)
  return pathname + hash
}

const hiddenTargets = { channel: 'a private channel', post: 'a post', thread: 'a private thread' }

/** Where it writes, as a link if the viewer can see it. */
function HookTarget({ hook: { target } }: { hook: Hook }) {
  const what = { channel: 'Posts to ', post: 'Comments on ', thread: 'Writes in ' }[target.type]
  if (target.title === null) return `${what}${hiddenTargets[target.type]}`
  return (
    <>
      {what}
      <Link href={toPath(target.url)}>{target.title}</Link>
    </>
  )
}

/** The name and the picture of an incoming webhook. */
function HookEdit({ hook, close }: { hook: Hook; close(): void }) {
  const renaming = useMutation({ mutationFn: (name: string) => renameHook(hook, name), onSuccess: close })
  const error = getFieldError(renaming.error, 'name')
  return (
    <Dialog title={`Edit ${hook.name}`} onClose={close}>
      <PictureForm
        what="picture"
        className="avatar"
        current={<Avatar of={hook.author} size={PICTURE_SIZE} />}
        removeDeniedReason={
          isGenerated(hook.author.avatar_urls.base) ? 'It has no picture. These are its initials.' : undefined
        }
        save={(picture) => setHookPicture(hook, picture)}
        remove={() => removeHookPicture(hook)}
      />
      <DialogForm
        label="Save"
        close={close}
        send={(form) => renaming.mutate(String(form.get('name')).trim())}
        isPending={renaming.isPending}
        error={error ? undefined : renaming.error}
      >
        <NameField defaultValue={hook.name} error={error} />
      </DialogForm>
    </Dialog>
  )
}
