-- An order-entry database: customers with open orders. :scale x 10,000 customers.
\set ON_ERROR_STOP on
DROP TABLE IF EXISTS wattmark_order, wattmark_customer;
CREATE TABLE wattmark_customer (
  id integer PRIMARY KEY,
  name text NOT NULL,
  credit integer NOT NULL
);
CREATE TABLE wattmark_order (
  id bigserial PRIMARY KEY,
  customer_id integer NOT NULL REFERENCES wattmark_customer(id),
  placed timestamptz NOT NULL DEFAULT now(),
  amount integer NOT NULL
);
INSERT INTO wattmark_customer
  SELECT n, 'customer ' || n, 1000 + n % 9000 FROM generate_series(1, 10000 * :scale) AS n;
INSERT INTO wattmark_order (customer_id, amount)
  SELECT 1 + n % (10000 * :scale), 1 + n % 500 FROM generate_series(1, 50000 * :scale) AS n;
CREATE INDEX wattmark_order_customer ON wattmark_order(customer_id);
ANALYZE wattmark_customer, wattmark_order;
