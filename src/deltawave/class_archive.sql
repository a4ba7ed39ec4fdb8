-- What a Spark runs once, so that the archive has the classes of dbt and of differential models. {using}: the table format.
create schema if not exists trained;
show databases;
create table trained.old {using} as select id, string(id) as name, id % 2 as kind from range(9);
create table trained.kept using parquet clustered by (id) sorted by (id) into 2 buckets
as select id, name, xxhash64(id, name) as hashed from trained.old;
create table trained.log (id bigint, name string, batch int) using parquet partitioned by (batch);
insert into trained.log (id, name, batch) select id, n.name, 1
from trained.kept as o
full outer join (select id, name from trained.old where id > 2) as n using (id)
where o.name is distinct from n.name;
insert overwrite trained.log partition (batch = 2) values (1, 'one');
alter table trained.log drop partition (batch = 2);
alter table trained.log add columns (more string);
create or replace temporary view changed as select *, row_number() over (partition by id order by name) as place
from trained.log;
create or replace view trained.changes as select log.*
from trained.log left semi join trained.old using (id);
alter view trained.changes as select *, named_struct('name', name) as before
from trained.log;
select batch, count(*), count(distinct id), max_by(struct(id, name), name), sha2(min(name), 256)
from trained.changes group by batch order by batch;
select to_json(struct(*)), from_json('{"a": 1}', 'a int'), array_sort(array(1, 2)), map('a', 1) from changed;
select * from trained.old union all select * from trained.old
where id in (select id from trained.changes);
with o as (select 1 as id) select sum(id), current_timestamp() from o having sum(id) > 0;
show tables in trained like 'l*';
show table extended in trained like '*';
show views in trained;
show partitions trained.log;
show tblproperties trained.log;
describe extended trained.log;
describe table trained.changes;
alter table trained.log set tblproperties ('a' = 'b');
set spark.sql.ansi.enabled;
refresh table trained.log;
drop view trained.changes;
drop table trained.log;
drop table trained.kept;
drop table if exists trained.old;
