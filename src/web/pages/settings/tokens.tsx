import { useState } from 'react'
import type { NewToken, Token } from '../../../contract/tokens'
import { revokeToken, type TokenOwner, useTokens } from '../../data/tokens'
import { Button } from '../../parts/button'
import { useConfirm } from '../../parts/dialog'
import { Empty, ProblemNote } from '../../parts/states'
import { Time } from '../../parts/time'
import { endpoints } from '../../paths'
import { Expiry } from './expiry'
import { RowSkeleton } from './row-skeleton'
import { CopyableCode, SecretNote } from './secret-note'
import { TokenForm } from './token-form'

/** Tokens of the member or of an app: create, show once, revoke. */
export function Tokens({ owner, disabledReason }: { owner: TokenOwner; disabledReason?: string }) {
  const tokens = useTokens(owner)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<NewToken>()
  const [question, ask] = useConfirm()
  const revoke = (token: Token) =>
    ask({
      title: `Revoke ${token.name || 'this token'}?`,
      text: 'Programs that use it lose access immediately. This cannot be undone.',
      label: 'Revoke',
      run: () => {
        if (created?.id === token.id) setCreated(undefined)
        void revokeToken(owner, token)
      },
    })
  const newToken = (
    <Button icon="plus" disabledReason={disabledReason} onClick={() => setCreating(true)}>
      New token
    </Button>
  )
  return (
    <>
      {created && (
        <SecretNote title={created.name || 'New token'} secret={created.token} dismiss={() => setCreated(undefined)}>
          <p className="meta">Try it in a terminal:</p>
          <CopyableCode
            label="Copy command"
            text={`curl -H "Authorization: Bearer ${created.token}" ${location.origin}${endpoints.me}`}
          />
        </SecretNote>
      )}
      {tokens.error && !tokens.data && <ProblemNote error={tokens.error} retry={() => void tokens.refetch()} />}
      {!tokens.data && !tokens.error && <RowSkeleton what="tokens" />}
      {tokens.data?.length === 0 && (
        <Empty title="No tokens yet" action={newToken}>
          {owner ? 'The app needs a token to use the API.' : 'A program needs a token to act on your behalf.'}
        </Empty>
      )}
      {tokens.data && tokens.data.length > 0 && (
        <>
          <ul className="rows" aria-label="Tokens">
            {tokens.data.map((token) => (
              <TokenRow key={token.id} token={token} revoke={() => revoke(token)} />
            ))}
          </ul>
          <div>{newToken}</div>
        </>
      )}
      {isCreating && <TokenForm owner={owner} close={() => setCreating(false)} done={setCreated} />}
      {question}
    </>
  )
}

const scopeLabels = { read: 'Read', write: 'Read and write', admin: 'Full access' }
const getWidestScope = ({ scopes }: Token) =>
  (['admin', 'write', 'read'] as const).find((scope) => scopes.includes(scope))!

function TokenRow({ token, revoke }: { token: Token; revoke(): void }) {
  const { name, created_at, expires_at, last_used_at } = token
  return (
    <li className="rows-item">
      <div>
        <p className="rows-name">{name || 'Unnamed'}</p>
        <p className="meta">
          {scopeLabels[getWidestScope(token)]} · created <Time at={created_at} /> ·{' '}
          {last_used_at ? (
            <>
              last used <Time at={last_used_at} />
            </>
          ) : (
            'never used'
          )}{' '}
          · {expires_at ? <Expiry at={expires_at} /> : 'does not expire'}
        </p>
      </div>
      <Button variant="danger" label={`Revoke ${name || 'the unnamed token'}`} onClick={revoke}>
        Revoke
      </Button>
    </li>
  )
}
